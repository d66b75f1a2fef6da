"""Where a person's bearer token is found, in the order of the WLCG. What a failure says holds nothing of it."""

import errno
import os


def find():
    """
    The token as it is now, which may be another one than a moment ago; None where there is none. A file that is named and cannot
    be had, or that others may touch, is a PermissionError.
    """
    direct = os.environ.get("BEARER_TOKEN", "").strip()
    if direct:
        return direct
    named = os.environ.get("BEARER_TOKEN_FILE", "").strip()
    if named:
        # Whoever names a file knows who may read it; the well-known ones must be one's own.
        return _read(named, os.O_RDONLY, lambda _: True)
    name = "bt_u%d" % os.geteuid()
    runtime = os.environ.get("XDG_RUNTIME_DIR", "").strip()
    if runtime and os.path.exists(os.path.join(runtime, name)):
        return _read(os.path.join(runtime, name), os.O_RDONLY, _is_closed)
    common = os.path.join("/tmp", name)
    if os.path.lexists(common) and os.lstat(common).st_uid == os.geteuid():
        return _read(common, os.O_RDONLY | os.O_NOFOLLOW, _is_closed)
    return None


def _is_closed(status):
    return status.st_mode & 0o077 == 0 and status.st_uid == os.geteuid()


def _read(path, flags, may):
    try:
        with os.fdopen(os.open(path, flags), encoding="utf-8") as file:
            if not may(os.fstat(file.fileno())):
                raise PermissionError(errno.EACCES, "token: others may touch it: chmod 600 it", path)
            return file.read().strip()
    except PermissionError:
        raise
    except (OSError, UnicodeDecodeError) as e:
        # As a FileNotFoundError it would be taken for one of the farm.
        why = os.strerror(e.errno) if isinstance(e, OSError) else "it is no text"
        raise PermissionError(errno.EACCES, "token: it cannot be read: " + why, path) from None
