#!/usr/bin/env bash
# Reports missing tools that install-packages.sh does not install: a Swift toolchain, and git, which SwiftPM needs to fetch packages.
set -euo pipefail

oldest_major=6 oldest_minor=1
missing=()

if ! command -v git >/dev/null; then
  missing+=("git is not installed: apt-get install git")
fi

if ! command -v swift >/dev/null; then
  missing+=("no Swift toolchain on the PATH: install Swift $oldest_major.$oldest_minor or newer from https://www.swift.org/install/linux")
elif ! version=$(swift --version 2>&1); then
  missing+=("the Swift toolchain at $(command -v swift) does not run: $(tail -n 1 <<<"$version")")
elif [[ $version =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]]; then
  major=${BASH_REMATCH[1]} minor=${BASH_REMATCH[2]}
  if ((major < oldest_major || (major == oldest_major && minor < oldest_minor))); then
    missing+=("Swift $major.$minor is too old: $oldest_major.$oldest_minor or newer is required (https://www.swift.org/install/linux)")
  fi
else
  missing+=("can't read the version of the Swift toolchain at $(command -v swift): ${version%%$'\n'*}")
fi

if ((${#missing[@]} > 0)); then
  echo "This machine can't build the project yet:" >&2
  printf '  - %s\n' "${missing[@]}" >&2
  exit 1
fi
