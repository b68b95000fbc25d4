#!/usr/bin/env python3
"""index_file.py PROJECT FILE SHA256 DEST: fetch one file of a project from the Python package index, and check it.

For files that `pip download` will not fetch as they are: a source package whose set-up script makes up its version, or a wheel for
another Python. The index, its certificate and its password are those that pip is configured with. A file at DEST with the right
hash is kept.
"""

import hashlib
import os
import pathlib
import sys


def sha256_of(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def download(project, name, part):
    try:
        from pip._internal.commands import create_command
        from pip._internal.exceptions import PipError
        from pip._internal.index.collector import LinkCollector, parse_links
        from pip._internal.models.link import Link
        from pip._internal.network.utils import raise_for_status, response_chunks
    except ImportError as error:
        sys.exit(f"python3 has no pip that can fetch files ({error}): run Tools/setup/packages.sh build.")
    try:
        command = create_command("download")
        options, _ = command.parse_args([])
        with command.main_context():
            session = command.get_default_session(options)
            page = LinkCollector.create(session, options=options).fetch_response(
                Link(f"{options.index_url.rstrip('/')}/{project}/")
            )
            link = next((link for link in parse_links(page) if link.filename == name), None) if page else None
            if link is None:
                sys.exit(f"The package index has no {name}: check the network, and pip's index-url.")
            answer = session.get(link.url_without_fragment, headers={"Accept-Encoding": "identity"}, stream=True)
            raise_for_status(answer)
            with open(part, "wb") as file:
                file.writelines(response_chunks(answer))
    except PipError as error:
        raise OSError(str(error)) from error


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    project, name, sha256, destination = *sys.argv[1:4], pathlib.Path(sys.argv[4])
    if destination.exists() and sha256_of(destination) == sha256:
        return
    part = destination.with_name(f"{destination.name}.{os.getpid()}")
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        download(project, name, part)
        if (seen := sha256_of(part)) != sha256:
            sys.exit(
                f"The downloaded {name} has the sha256 {seen} instead of {sha256}: do not trust the package index."
            )
        os.replace(part, destination)
    except OSError as error:
        sys.exit(
            f"Could not download {name} ({error}): check the network, pip's index-url and the disk, then run this again."
        )
    finally:
        part.unlink(missing_ok=True)


if __name__ == "__main__":
    main()
