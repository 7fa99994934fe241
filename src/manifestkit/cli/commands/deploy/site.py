"""What to deploy and where, by the command line and the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from manifestkit.cli.configured import configuration_here
from manifestkit.cli.service import service_address
from manifestkit.config.configuration import Configuration
from manifestkit.engine import Options
from manifestkit.files import is_folder, nearby
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.publish.address import Address
from manifestkit.publish.packing import IgnoreList
from manifestkit.publish.verification import SiteAddress

_DOMAIN = re.compile(r"[^\s/\\?#@\"]{1,253}")


class Site(NamedTuple):
    """What to deploy and where.

    Attributes:
        source: the folder or archive.
        manifest: the manifest's name in it; None for the one at its root.
        ignore: what the configuration leaves out of a folder.
        options: how the manifest is judged.
        domain: the host name of the site; empty where only files are listed.
        address: the service; None for a dry run without one.
        shown_at: where to look whether it is there; None for not to look.
    """

    source: Path
    manifest: str | None
    ignore: IgnoreList | None
    options: Options
    domain: str
    address: Address | None
    shown_at: SiteAddress | None


def site_of(source: Path | None, settings: Mapping[str, Any]) -> Site:
    """What the command line and the configuration ask for.

    Raises:
        UsageError: something is missing, or the domain is no host name.
        ConfigurationError: the configuration or an address cannot be used.
    """
    configured = configuration_here(settings["config"])
    publish = configured.publish
    if source is None and publish.folder is not None:
        source = Path(nearby(publish.folder))
    if source is None:
        raise click.UsageError(
            "name the FOLDER or ARCHIVE to deploy, or set `folder` under [publish] in "
            "manifestkit.toml"
        )
    if settings["config"] is None:
        _refuse_own(configured, source)
    fail_on = Severity(settings["fail_on"]) if settings["fail_on"] else publish.fail_on
    listed, dry_run = settings["list_files"], settings["dry_run"]
    domain = "" if listed else _domain(settings["domain"] or publish.domain)
    address = None
    if not listed and (settings["base_url"] or publish.base_url or not dry_run):
        address = service_address(settings["base_url"], settings["api_form"], settings["config"])
    return Site(
        source,
        settings["manifest"] or publish.manifest,
        _ignore_list(configured, source),
        Options(profiles=settings["profile"], config=settings["config"], fail_on=fail_on),
        domain,
        address,
        SiteAddress.parse(settings["verify_at"]) if settings["verify_at"] else None,
    )


def _refuse_own(configured: Configuration, source: Path) -> None:
    """Refuse settings that are part of what is deployed: they may be the site's, not the user's.

    Raises:
        ConfigurationError: they are.
    """
    if not is_folder(source):
        return
    folder = Path(os.path.realpath(source))
    for option, origin in configured.origins.items():
        if option[0] == "publish" and Path(os.path.realpath(origin.file)).is_relative_to(folder):
            raise ConfigurationError(
                f"{nearby(origin.file)} has [publish] and is in the folder that is deployed; "
                "use it with --config, or deploy another folder"
            )


def _domain(given: str | None) -> str:
    if given is None:
        raise click.UsageError(
            "name the site with --domain, or set `domain` under [publish] in manifestkit.toml"
        )
    if not _DOMAIN.fullmatch(given) or not given.isprintable():
        raise click.UsageError("the domain must be a host name, without https:// and path")
    return given


def _ignore_list(configured: Configuration, source: Path) -> IgnoreList | None:
    patterns = configured.publish.ignore
    if patterns is None:
        return None
    place = configured.origins["publish", "ignore"].location
    file = configured.file_of("publish", "ignore")
    return IgnoreList(patterns._replace(folder=source.absolute()), file, place.line)
