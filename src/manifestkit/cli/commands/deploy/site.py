"""What to deploy and where, by the command line and the configuration."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import SplitResult

import click

from manifestkit.cli.configured import configuration_here
from manifestkit.cli.service import service_address
from manifestkit.config.configuration import Configuration
from manifestkit.engine import Options
from manifestkit.files import is_folder, nearby
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.publish.address import Address
from manifestkit.publish.gate import ManifestChoice
from manifestkit.publish.ignoring import IgnoreList, Ignoring
from manifestkit.publish.packing import MOST_BYTES, MOST_ENTRIES, PackingOptions
from manifestkit.publish.verification import site_address

_DOMAIN = re.compile(r"[^\s/\\?#@\"]{1,253}")


class Site(NamedTuple):
    """What to deploy and where.

    Attributes:
        source: the folder or archive.
        packing: what is packed of it.
        manifest: where its manifest is.
        options: how the manifest is judged.
        domain: the host name of the site; None where nothing is sent.
        address: the service; None where nothing is sent.
        shown_at: where to look whether it is there; None for not to look.
    """

    source: Path
    packing: PackingOptions
    manifest: ManifestChoice
    options: Options
    domain: str | None
    address: Address | None
    shown_at: SplitResult | None


def site_of(source: Path | None, settings: Mapping[str, Any]) -> Site:
    """Return what the command line and the configuration ask for.

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
    stays_here = settings["list_files"] or settings["dry_run"]
    address = None
    if not settings["list_files"] and (
        settings["base_url"] or publish.base_url or not settings["dry_run"]
    ):
        address = service_address(settings["base_url"], settings["api_form"], settings["config"])
    return Site(
        source,
        PackingOptions(
            Ignoring.of(_ignore_list(configured), (*publish.include, *settings["include"])),
            settings["max_entries"] or publish.max_entries or MOST_ENTRIES,
            settings["max_size"] or publish.max_size or MOST_BYTES,
            settings["portable_names"],
        ),
        _manifest_choice(settings, publish.manifest),
        Options(
            profiles=settings["profile"],
            config=settings["config"],
            fail_on=Severity(settings["fail_on"]) if settings["fail_on"] else publish.fail_on,
        ),
        _domain(settings["domain"] or publish.domain, is_needed=not stays_here),
        address,
        site_address(settings["verify_at"]) if settings["verify_at"] else None,
    )


def _manifest_choice(settings: Mapping[str, Any], configured: str | None) -> ManifestChoice:
    given = settings["manifest"], settings["manifest_file"], settings["no_manifest"]
    if sum(map(bool, given)) > 1:
        raise click.UsageError("use one of --manifest, --manifest-file and --no-manifest")
    if settings["no_manifest"] and settings["against"]:
        raise click.UsageError("--against compares manifests: it cannot go with --no-manifest")
    return ManifestChoice(*given) if any(given) else ManifestChoice(configured)


def _refuse_own(configured: Configuration, source: Path) -> None:
    """Refuse settings that are part of what is deployed: they may be the site's, not the user's."""
    if not is_folder(source):
        return
    folder = Path(os.path.realpath(source))
    for option, origin in configured.origins.items():
        if option[0] == "publish" and Path(os.path.realpath(origin.file)).is_relative_to(folder):
            raise ConfigurationError(
                f"{nearby(origin.file)} has [publish] and is in the folder that is deployed; "
                "use it with --config, or deploy another folder"
            )


def _domain(given: str | None, *, is_needed: bool) -> str | None:
    if given is None:
        if not is_needed:
            return None
        raise click.UsageError(
            "name the site with --domain, or set `domain` under [publish] in manifestkit.toml"
        )
    if not _DOMAIN.fullmatch(given) or not given.isprintable():
        raise click.UsageError("the domain must be a host name, without https:// and path")
    return given


def _ignore_list(configured: Configuration) -> IgnoreList | None:
    patterns = configured.publish.ignore
    if patterns is None:
        return None
    place = configured.origins["publish", "ignore"].location
    return IgnoreList(patterns, configured.file_of("publish", "ignore"), place.line)
