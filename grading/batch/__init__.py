"""One submission or many: several at once, and none twice."""
