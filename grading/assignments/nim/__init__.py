"""Nim in four forms: their models with the known faults, their fresh games."""
