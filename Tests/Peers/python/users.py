"""Runs parts of a test as other users, which root can."""

import os
import sys
import traceback


def as_user(user, body, *arguments):
    """Runs `body` in a process of that user, which ends with what it returns, 0 for None, or with 1 for an exception. Gives its
    number."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            status = body(*arguments) or 0
        except BaseException:  # otherwise the error would be lost
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)
    return child
