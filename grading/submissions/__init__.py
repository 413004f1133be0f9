"""Submissions: taken from exports, copied safely, built, and made programs that can be run.

    submission                      a submission from its files to its program, or advice
    copy                            a safe copy of a folder, a zip or a file
    identity                        names, fingerprints, seeds, digests
    exports                         the exports of learning platforms
"""
