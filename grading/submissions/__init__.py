"""Submissions: taken from exports, copied safely, built, and made programs that can be run.

    submission                      a submission from its files to its program
    copy                            a safe copy of a folder, a zip or a file
    executable                      what can be run in it, and advice if nothing can
    identity                        names, fingerprints, seeds, digests
    exports, export_files           the exports of learning platforms
"""
