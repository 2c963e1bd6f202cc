"""How fast the function is, how much memory it takes and how many clusters it serves."""
