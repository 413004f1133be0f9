"""The sandbox: what a program can reach while it runs, and the cleanup after it.

A grader has these folders in the system's folder for temporary files. A program may write only in
folders with a star:

    grading.XXXX/               locked while the grader lives; other users may only pass through it
        closed                  the files that the grader has closed to other users (kind `user`)
        submission/             the copy of a submission, which never runs itself
        built-XXXX/             a copy of the folder that a build has left
        run-XXXX/ *             one run: home folder and temporary files (kinds `user`, `none`)
            submission/ *       a fresh copy of the above, in which the program starts

Under bubblewrap a run has no folder there, but file systems of its own; so has one of the kind
`user` where root may mount them. It sees nothing of the machine's files but what `view` lists, and:

    /source/                    the folder to run, read-only
    /tmp/ *                     in memory, at most 128 MB: home folder and temporary files
        submission/ *           a fresh copy of the folder
    /dev/shm/ *                 in memory, at most 128 MB

A run has these steps: `confine` chooses and tries a kind of sandbox; `interpreter` says which
Python runs in it; `view` lists what the run needs; `kinds` makes the folder and the command for a
`program`, perhaps as another user, and forks; the new process limits itself with what the `kernel`
has, such as its memory, and to the system `calls` that it may make, copies the folder, and reports
that it is ready. `control_groups` limits a run, or a `watch` on what all its processes use together
(`usage`); `descendants` finds and ends them all. `capacity` says for how many runs there is room.
`untrusted_files` reads what programs have left. `closed_folders` closes folders of the grader to
other users.
"""
