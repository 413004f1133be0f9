"""The sandbox: what a program can reach while it runs, and the cleanup after it.

A grader has these folders in the system's temporary folder. A program may write only to those with
a star:

    grading.XXXX/               locked while the grader lives; other users may only pass through it
        closed                  the files that the grader has closed to other users (kind `user`)
        submission/             the copy of a submission, which never runs itself
        built-XXXX/             a copy of the folder that a build has left
        run-XXXX/ *             one run: home folder and temporary files (kinds `user`, `none`)
            submission/ *       a fresh copy of the above, in which the program starts

Under bubblewrap, a run has its own file systems instead of a folder there; so it has with the kind
`user`, if root may mount them. Of the machine's files it sees only what `view` lists. It also has:

    /source/                    the folder to run, read-only
    /tmp/ *                     in memory, at most 128 MB: home folder and temporary files
        submission/ *           a fresh copy of the folder
    /dev/shm/ *                 in memory, at most 128 MB

A run has these steps: `kinds` makes a folder for a `program`, and the command that runs it there;
`launch` forks; the new process confines itself, and reports that it is ready. At the end, all its
processes are killed and its files removed. Each module answers one question:

confine          which kind of sandbox works on this machine?
probe            what can a program in it reach but should not?
buffering        how can a program's output be unbuffered, as in a terminal?
scratch          where is the grader's own folder, and who removes it?
trial            what does one command print in a sandbox?
kinds            what do `bwrap`, `user` and `none` do for a run?
launch           how does a process become a program?
other_user       which user does it run as, and what has that user left behind?
own_root         how does a run get file systems of its own?
view             which files does a run see?
run_to_run       what could leak from one run to the next?
interpreter      which Python runs it?
calls            which system calls may it make?
control_groups   how does the kernel limit a run's processes as a group?
watch            has a run used more than it may?
usage            how much do its processes use in total?
descendants      which processes did it start?
closed_folders   how are the grader's folders closed to other users?
capacity         how many runs does the machine have room for?
untrusted_files  how are untrusted folders and zips read safely?
program          what should run: which words, folder, environment?
kernel           what does the kernel do for a process?
"""
