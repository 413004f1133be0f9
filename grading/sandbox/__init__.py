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

A run has these steps: `kinds` makes a folder for a `program` and the command that runs it there;
`launch` forks; the new process confines itself, and reports that it is ready; at the end all that
it started is ended, and what it left is removed. Each module answers one question:

confine          which kind of sandbox works on this machine?
probe            what can a program in it reach though it should not?
buffering        how does a program print as in a terminal?
scratch          where is the grader's own folder, and who removes it?
trial            what does one command print in a sandbox?
kinds            what do `bwrap`, `user` and `none` do for a run?
launch           how does a process become a program?
other_user       as which user does it run, and what has this user left?
own_root         how does a run get file systems of its own?
view             which files does a run see?
run_to_run       what could carry a number from one run to the next?
interpreter      which Python runs it?
calls            which system calls may it make?
control_groups   how does the kernel limit all processes of a run together?
watch            has a run used more than it may?
usage            how much do its processes use together?
descendants      which processes did it start?
closed_folders   how are the grader's folders closed to other users?
capacity         for how many runs is there room?
untrusted_files  how are files read that programs have left?
program          what is to run: words, folder, environment?
kernel           what does the system offer that Python has no name for?
"""
