"""Submissions: taken from exports, copied safely, built, and made into programs that can run.

    submission                      a safe copy of what was handed in, its program; digests, seeds
    exports                         names of submissions, and the exports of learning platforms
"""
