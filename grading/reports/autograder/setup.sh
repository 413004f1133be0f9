#!/usr/bin/env bash
# Prepares the machine, once, as root: Ubuntu 22.04 or 24.04, Debian 12.
set -eu
root="${AUTOGRADER:-/autograder}"
cd "$root/source"

export DEBIAN_FRONTEND=noninteractive
apt-get -qq update
apt-get -qq install -y --no-install-recommends @PACKAGES@
python3 -m venv .venv
.venv/bin/pip install --quiet --disable-pip-version-check '.[grader]'
rm -rf build ./*.egg-info
.venv/bin/python -m grading --help > /dev/null     # this checks that it starts, and compiles it

# Only root may enter the folder. Submitted programs run as another user, who needs only a user ID,
# not an account.
chmod 700 "$root"
