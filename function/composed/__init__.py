"""Builders of the composed resources, one module a kind."""
