"""Submissions: taken from exports, copied safely, built, and made into programs that can run.

    submission                      a safe copy of what was handed in, and its program, or advice
    identity                        names, fingerprints, seeds, digests
    exports                         the exports of learning platforms
"""
