"""Many submissions: several at once, each by a worker, and none twice."""
