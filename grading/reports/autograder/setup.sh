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
.venv/bin/python -m grading --help > /dev/null     # a first start, which also compiles it

# Programs run as another user, who needs no account, only a number.
chmod 700 "$root"
