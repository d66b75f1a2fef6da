"""The farm by an HTTP gateway (``gf gateway``), with nothing but the standard library."""

import errno
import http.client
import json
import os
import ssl
import threading
import urllib.parse
from datetime import datetime, timezone

from gridfarm import bearer
from gridfarm.way import Way

#: The longest that an answer may take to begin, in seconds.
TIMEOUT = 120

_IDLE_MAX = 16
_ERROR_HEADER = "Gridfarm-Error"
_DIRECTORY_OF_AUTHORITIES = "/etc/grid-security/certificates"

#: Where a failure is told by the status alone, as by what stands between here and the gateway.
_ERRNO_OF_STATUS = {
    400: errno.EINVAL,
    401: errno.EACCES,
    403: errno.EACCES,
    404: errno.ENOENT,
    405: errno.EINVAL,
    409: errno.EBUSY,
    412: errno.EEXIST,
    413: errno.EFBIG,
    501: errno.EOPNOTSUPP,
    503: errno.EAGAIN,
    507: errno.ENOSPC,
}


def _certificate(cert):
    """The one that was named, else the proxy that is there, else None."""
    if cert is None:
        proxy = os.environ.get("X509_USER_PROXY") or "/tmp/x509up_u%d" % os.getuid()
        cert = proxy if os.access(proxy, os.R_OK) else None
    return cert


def _tls(cert, key, ca):
    """Who this is and whom it trusts; a proxy, as gf proxy init makes one, is certificate and key in one file."""
    context = ssl.create_default_context()
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    if ca is None:
        ca = os.environ.get("X509_CERT_DIR") or (_DIRECTORY_OF_AUTHORITIES if os.path.isdir(_DIRECTORY_OF_AUTHORITIES) else None)
    if ca is not None:
        if os.path.isdir(ca):
            context.load_verify_locations(capath=ca)
        else:
            context.load_verify_locations(cafile=ca)
    if cert is not None:
        context.load_cert_chain(cert, key)
    return context


class GatewayWay(Way):
    """
    :param address: as ``gf gateway`` prints it: ``https://host:port``, or ``http://127.0.0.1:port``
    :param cert: certificate (PEM), with the key in it unless ``key`` names another file; else ``X509_USER_PROXY``, else the
        proxy of ``gf proxy init``
    :param ca: file or directory of authorities; else ``X509_CERT_DIR``, else /etc/grid-security/certificates, else the system's
    :param token: a bearer token of the farm, or that of a gateway which a person runs; else ``GF_GATEWAY_TOKEN``; else, over https
        and without a certificate or proxy, the token found in the order of the WLCG (``BEARER_TOKEN``, ``BEARER_TOKEN_FILE``,
        ``$XDG_RUNTIME_DIR/bt_uUID``, ``/tmp/bt_uUID``), looked for again at each request
    :param account: which of one's accounts, where the farm gives several
    """

    def __init__(self, address, cert=None, key=None, ca=None, token=None, account=None):
        parts = urllib.parse.urlsplit(address if "://" in address else "https://" + address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ValueError("gateway: needs an address like https://host:8480, not %r" % address)
        self._host = parts.hostname
        self._port = parts.port
        secured = parts.scheme == "https"
        cert = _certificate(cert) if secured else None
        self._context = _tls(cert, key, ca) if secured else None
        self._token = token or os.environ.get("GF_GATEWAY_TOKEN")
        # As other programs of the farm have it: a certificate first. In the clear no token is shown that was not given for it.
        self._finds_token = secured and cert is None and not self._token
        self._account = account
        self._idle = []
        self._process = os.getpid()
        self._lock = threading.Lock()
        self._address = "%s://%s" % (parts.scheme, parts.netloc)

    def __str__(self):
        return "gateway " + self._address

    # ---- requests

    def _new_connection(self):
        if self._context is None:
            return http.client.HTTPConnection(self._host, self._port, timeout=TIMEOUT)
        return http.client.HTTPSConnection(self._host, self._port, timeout=TIMEOUT, context=self._context)

    def _take(self):
        """A connection that was used before, or None."""
        with self._lock:
            if self._process != os.getpid():  # those are the parent's
                self._process = os.getpid()
                self._idle = []
            return self._idle.pop() if self._idle else None

    def give_back(self, connection):
        with self._lock:
            if self._process == os.getpid() and len(self._idle) < _IDLE_MAX:
                self._idle.append(connection)
                return
        connection.close()

    def headers(self, further):
        token = bearer.find() if self._finds_token else self._token
        if not token:
            return dict(further)
        if not token.isprintable():  # http.client would say all of it
            raise PermissionError(errno.EACCES, "the token holds what no token does")
        return dict(further, Authorization="Bearer " + token)

    def target(self, root, path, parameters):
        if self._account:
            parameters = dict(parameters, **{"user.name": self._account})
        quoted = urllib.parse.quote(os.fsencode(path), safe="/~")
        query = urllib.parse.urlencode(parameters, errors="surrogateescape")
        return root + quoted + ("?" + query if query else "")

    def ask(self, method, path, parameters=None, headers=None, root="/fs", body=None):
        """The answer, of which nothing is read yet, and its connection. OSError where it is no success."""
        target = self.target(root, path, parameters or {})
        all_headers = self.headers(headers or {})
        connection = self._take()
        if connection is not None:
            # One that was used before may have been closed meanwhile: then nothing was done, and a new one is tried.
            try:
                return self._asked(connection, method, target, all_headers, body, path)
            except (http.client.RemoteDisconnected, ConnectionResetError, BrokenPipeError):
                connection.close()
        connection = self._new_connection()
        try:
            return self._asked(connection, method, target, all_headers, body, path)
        except (http.client.HTTPException, OSError) as e:
            connection.close()
            if isinstance(e, OSError) and getattr(e, "_of_gateway", False):
                raise
            raise OSError(errno.EHOSTUNREACH, "%s cannot be reached: %s" % (self, e), path) from e

    def _asked(self, connection, method, target, headers, body, path):
        connection.request(method, target, body=body, headers=headers)
        answer = connection.getresponse()
        self.require_success(connection, answer, path)
        return answer, connection

    def require_success(self, connection, answer, path):
        if answer.status < 300:
            return
        number = _ERRNO_OF_STATUS.get(answer.status, errno.EIO)
        told = (answer.getheader(_ERROR_HEADER) or "").split()
        if len(told) == 2 and told[1].isdigit():
            number = int(told[1])
        text = answer.read(4096).decode("utf-8", "replace").strip()
        if answer.isclosed():
            self.give_back(connection)
        else:
            connection.close()
        failure = OSError(number, text or answer.reason, path)
        failure._of_gateway = True
        raise failure

    def _whole(self, method, path, parameters=None, headers=None, root="/fs", body=None):
        answer, connection = self.ask(method, path, parameters, headers, root, body)
        try:
            content = answer.read()
        except BaseException:
            connection.close()
            raise
        self.give_back(connection)
        return content

    # ---- looking

    def info(self, path):
        return self._described(path, json.loads(self._whole("GET", path, {"stat": "true"})))

    def list(self, path):
        found = json.loads(self._whole("GET", path.rstrip("/") + "/"))
        prefix = path.rstrip("/") + "/"
        return [self._described(prefix + entry["name"], entry) for entry in found["entries"]]

    def _described(self, path, told):
        kind = told["type"] if told["type"] in ("file", "directory") else "other"
        modified = _moment(told["modified"])
        described = {
            "name": path,
            "type": kind,
            "size": told["size"] if kind == "file" else 0,
            "mode": int(told["mode"], 8),
            "uid": told["uid"],
            "gid": told["gid"],
            "owner": told["owner"],
            "group": told["group"],
            "nlink": told["links"],
            "ino": told["inode"],
            "mtime": modified.timestamp(),
            "created": _moment(told["created"]),
            "modified": modified,
            "islink": told.get("target") is not None,
        }
        if "target" in told:
            described["destination"] = told["target"]
        if "etag" in told:
            described["etag"] = told["etag"].strip('"')
        return described

    # ---- contents

    def read(self, path, start, end):
        if end <= start:
            return b""
        try:
            return self._whole("GET", path, headers={"Range": "bytes=%d-%d" % (start, end - 1)})
        except OSError as e:
            if e.errno == errno.ERANGE:  # it begins behind the end
                return b""
            raise

    def reader(self, path):
        return _GatewayReader(self, path)

    def writer(self, path, exclusive):
        headers = {"If-None-Match": "*"} if exclusive else {}
        return _GatewayWriter(self, "PUT", "/fs", path, {}, headers)

    def appender(self, path):
        try:
            self.info(path)
        except FileNotFoundError:
            self._whole("PUT", path, body=b"")
        return _GatewayWriter(self, "POST", "/webhdfs/v1", path, {"op": "APPEND", "data": "true"}, {})

    # ---- names

    def mkdir(self, path):
        self._whole("PUT", path.rstrip("/") + "/")

    def rmdir(self, path):
        if self.info(path)["type"] != "directory":
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        self._whole("DELETE", path)

    def remove(self, path):
        if self.info(path)["type"] == "directory":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._whole("DELETE", path)

    def remove_tree(self, path):
        self._whole("DELETE", path, {"recursive": "true"})

    def rename(self, path, target):
        parameters = {"op": "RENAME", "destination": target, "renameoptions": "OVERWRITE"}
        self._whole("PUT", path, parameters, root="/webhdfs/v1")

    def copy(self, path, target):
        self._whole("PUT", target, {"copy": path})

    def touch(self, path):
        now = str(int(datetime.now(timezone.utc).timestamp() * 1000))
        parameters = {"op": "SETTIMES", "modificationtime": now, "accesstime": now}
        self._whole("PUT", path, parameters, root="/webhdfs/v1")


def _moment(text):
    """As java.time.Instant writes it, with up to nine digits behind the point."""
    whole, _, fraction = text.rstrip("Z").partition(".")
    moment = datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S" if whole.count(":") == 2 else "%Y-%m-%dT%H:%M")
    return moment.replace(microsecond=int((fraction + "000000")[:6]), tzinfo=timezone.utc)


class _GatewayReader:
    def __init__(self, way, path):
        self._way = way
        self._path = path

    def read(self, start, end):
        return self._way.read(self._path, start, end)

    def close(self):
        pass  # each range is a request of its own


class _GatewayWriter:
    """One request, whose body goes out piece by piece; it counts when it has ended as a whole."""

    def __init__(self, way, method, root, path, parameters, headers):
        self._way = way
        self._path = path
        all_headers = way.headers(headers)
        self._connection = way._new_connection()  # one that was used before may end in the middle
        try:
            self._connection.putrequest(method, way.target(root, path, parameters))
            for name, value in all_headers.items():
                self._connection.putheader(name, value)
            self._connection.putheader("Content-Type", "application/octet-stream")
            self._connection.putheader("Transfer-Encoding", "chunked")
            self._connection.endheaders()
        except OSError as e:
            self._connection.close()
            raise OSError(errno.EHOSTUNREACH, "%s cannot be reached: %s" % (way, e), path) from e

    def write(self, data):
        if not data:
            return
        try:
            self._connection.send(b"%x\r\n" % len(data))
            self._connection.send(data)
            self._connection.send(b"\r\n")
        except OSError:
            self._refused()
            raise

    def _refused(self):
        """The gateway has answered before it had everything: that says why."""
        try:
            answer = self._connection.getresponse()
        except (OSError, http.client.HTTPException):
            return  # it has not: the caller tells what the network said
        self._way.require_success(self._connection, answer, self._path)

    def finish(self):
        try:
            self._connection.send(b"0\r\n\r\n")
            answer = self._connection.getresponse()
        except http.client.HTTPException as e:
            self._connection.close()
            raise OSError(errno.EIO, "the gateway did not answer: %s" % e, self._path) from e
        except OSError:
            self._refused()
            self._connection.close()
            raise
        self._way.require_success(self._connection, answer, self._path)
        answer.read()
        self._way.give_back(self._connection)

    def abandon(self):
        self._connection.close()
