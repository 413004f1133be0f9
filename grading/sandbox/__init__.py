"""What a program may reach while it runs, and how all that it leaves behind is cleaned up.

The folders of one grader, in the system's folder for temporary ones. The program of each run may
write in those that have a star:

    grading.XXXX/               locked while the grader lives; closed, but for going through it
        submission/             the copy of what was handed in, which is never run
        built-XXXX/             what a build, or the compilation, has left: copied when it was over
        run-XXXX/ *             one run: home, and for temporary files (kinds `user`, `none`)
            submission/ *       a fresh copy of the above, in which the program begins

Under bubblewrap no run has a folder there. Each sees, in file systems of its own:

    /handed-in/                 the folder that is run, read-only
    /tmp/ *                     in memory, at most 128 MB: home, and for temporary files
        submission/ *           a fresh copy of it
    /dev/shm/ *                 in memory, at most 128 MB

A run, step by step: `confine` chooses the sandbox and tries it; `kinds` makes folder and command
for a `program`, maybe as an `other_user`; `start` forks; the new process confines itself
(`limits`), copies, and says that it is ready; `processes` watches what all its processes hold, and
ends them.
"""
