"""What the end-to-end tests run on: real programs, and stand-ins for the two clouds behind them."""
