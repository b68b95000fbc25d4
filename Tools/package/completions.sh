#!/usr/bin/env bash
# completions.sh PROGRAM SHARE: the completions of bash, zsh and fish for a command, in the folders below SHARE where
# they look.
set -euo pipefail
(($# == 2)) || {
  sed -n '2s/^# //p' "$0" >&2
  exit 2
}
program=$1
share=$2
name=${program##*/}
complete() { # SHELL FILE
  mkdir -p "$(dirname "$share/$2")"
  # Read by a shell, not run: without the line that names one.
  "$program" --generate-completion-script "$1" | sed '1{/^#!/d}' >"$share/$2"
}
complete bash "bash-completion/completions/$name"
complete zsh "zsh/site-functions/_$name"
complete fish "fish/vendor_completions.d/$name.fish"
