"""Limits what a program can use and reach while it runs, and cleans up afterwards.

A run is one execution of a program, including all processes the program starts. There are three
kinds of sandbox: `bwrap` uses bubblewrap, `user` runs programs as another user, and `none` has only
limits.

A grader makes these folders in the system's temporary folder. A program can write only to those
marked with a star:

    grading.XXXX/               locked while the grader lives; other users cannot list it
        closed                  lists what the grader has closed to other users (kind `user`)
        statistics              a copy of /proc/stat, for runs with their own file systems
        passwd                  the system's list of users, and the user of the runs (kind `bwrap`)
        submission/             the copy of a submission; it is never run here
        built-XXXX/             a copy of the submission's folder after the build
        run-XXXX/ *             one run: home folder and temporary files (kinds `user`, `none`)
            submission/ *       a copy of `submission` or `built-XXXX`: the program starts here

With the kind `bwrap`, a run has its own file systems instead of the folder `run-XXXX`. The same is
true for the kind `user` if root can mount file systems. Of the machine's files, such a run sees
only those listed by `view`. It also sees:

    /source/                    the folder to run, read-only
    /tmp/ *                     in memory, at most 128 MB: home folder and temporary files
        submission/ *           a fresh copy of the folder
    /dev/shm/ *                 in memory, at most 128 MB

A run has these steps: `kinds` makes a folder and a command line for a `program`; `launch` forks a
process; the process confines itself, reports that it is ready, and becomes the program. At the end,
all processes of the run are killed, and the run's files are removed. Each module answers one
question:

confine          which kind of sandbox works on this machine?
probe            what can a program in the sandbox reach, but should not?
buffering        how can a program's output be unbuffered, as in a terminal?
scratch          where is the grader's own folder, and who removes it?
trial            what does one command print in a sandbox?
kinds            what do `bwrap`, `user` and `none` do for a run?
launch           how does a process become a program?
other_user       which user does a program run as, and what has that user left behind?
own_root         how does a run get its own file systems?
view             which files does a run see?
run_to_run       what could leak from one run to the next?
interpreter      which Python runs Python programs?
calls            which system calls can a program make?
refusals         which system calls of a program are refused?
system_v         how much System V memory does a run hold, and who removes it?
control_groups   how does the kernel limit a run's processes as a group?
watch            has a run used more than the limits allow?
usage            how much do a run's processes use in total?
descendants      which processes did a run start?
fresh_folder     where does each run of the user's own program start, when it is recorded?
closed_folders   how are folders closed to other users?
capacity         how many runs does the machine have room for?
untrusted_files  how are untrusted folders and zips read safely?
untrusted_tars   how are untrusted tar files read safely?
program          what should run: which words, folder, environment?
kernel           how does the kernel start, end and restrict a process?
"""
