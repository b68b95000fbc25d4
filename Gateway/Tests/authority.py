"""Certificates of an authority of the tests' own."""

import pathlib
import ssl
import subprocess

import grpc


class Authority:
    """An authority, and what it has signed: NAME.pem has certificate and key, NAME.crt and NAME.key one of them."""

    def __init__(self, folder, *names):
        self.folder = pathlib.Path(folder)
        self.file = self.folder / "ca.pem"
        self._openssl(
            "req",
            "-x509",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=test authority",
            "-keyout",
            "ca.key",
            "-out",
            "ca.pem",
        )
        for name in names:
            self.sign(name)

    def sign(self, name):
        """A certificate of this machine under that name, too."""
        self._openssl(
            "req",
            "-newkey",
            "ec",
            "-pkeyopt",
            "ec_paramgen_curve:P-256",
            "-nodes",
            "-subj",
            f"/CN={name}",
            "-addext",
            f"subjectAltName=DNS:{name},DNS:localhost,IP:127.0.0.1",
            "-keyout",
            f"{name}.key",
            "-out",
            f"{name}.csr",
        )
        self._openssl(
            "x509",
            "-req",
            "-in",
            f"{name}.csr",
            "-CA",
            "ca.pem",
            "-CAkey",
            "ca.key",
            "-CAcreateserial",
            "-days",
            "2",
            "-copy_extensions",
            "copy",
            "-out",
            f"{name}.crt",
        )
        (self.folder / f"{name}.pem").write_bytes(b"".join(self.pair(name)))

    def _openssl(self, *arguments):
        subprocess.run(["openssl", *arguments], cwd=self.folder, check=True, capture_output=True)

    def pair(self, name):
        """The bytes of a certificate and its key."""
        return [(self.folder / f"{name}.{end}").read_bytes() for end in ("crt", "key")]

    def flags(self, name):
        """The gateway's flags for a certificate."""
        return "--tls-certificate", str(self.folder / f"{name}.crt"), "--tls-key", str(self.folder / f"{name}.key")

    def context(self):
        """What clients of HTTP trust."""
        return ssl.create_default_context(cafile=self.file)

    def credentials(self, name=None):
        """What clients of gRPC trust, and how they are called."""
        certificate, key = self.pair(name) if name else (None, None)
        return grpc.ssl_channel_credentials(self.file.read_bytes(), key, certificate)
