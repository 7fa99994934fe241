"""The site to deploy, by the command line and the configuration."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import NamedTuple
from urllib.parse import SplitResult

import click

from manifestkit.cli.commands.deploy.options import DeployOptions
from manifestkit.cli.configured import configuration_here
from manifestkit.cli.service import ServiceOptions
from manifestkit.config.configuration import Configuration
from manifestkit.engine import Options
from manifestkit.files import is_folder, relative_name
from manifestkit.model.errors import ConfigurationError
from manifestkit.model.finding import Severity
from manifestkit.publish.address import Address
from manifestkit.publish.gate import ManifestChoice
from manifestkit.publish.ignoring import IgnoreList, Ignoring
from manifestkit.publish.packing import MOST_BYTES, MOST_ENTRIES, PackingOptions
from manifestkit.publish.verification import site_address

_DOMAIN = re.compile(r"[^\s/\\?#@\"]{1,253}")


class Site(NamedTuple):
    """Site to deploy, and its address.

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


def site_of(source: Path | None, options: DeployOptions, service: ServiceOptions) -> Site:
    """Return what the command line and the configuration ask for.

    Raises:
        UsageError: something is missing, or the domain is no host name.
        ConfigurationError: the configuration or an address cannot be used.
    """
    configured = configuration_here(options.config)
    publish = configured.publish
    if source is None and publish.folder is not None:
        source = Path(relative_name(publish.folder))
    if source is None:
        raise click.UsageError(
            "name the FOLDER or ARCHIVE to deploy, or set `folder` under [publish] in "
            "manifestkit.toml"
        )
    if options.config is None:
        _refuse_own(configured, source)
    stays_here = options.list_files or options.dry_run
    address = None
    is_named = service.base_url or publish.base_url
    if not options.list_files and (is_named or not options.dry_run):
        address = service.address(options.config)
    return Site(
        source,
        PackingOptions(
            Ignoring.of(_ignore_list(configured), (*publish.include, *options.include)),
            options.max_entries or publish.max_entries or MOST_ENTRIES,
            options.max_size or publish.max_size or MOST_BYTES,
            options.portable_names,
        ),
        _manifest_choice(options, publish.manifest),
        Options(
            profiles=options.profile,
            config=options.config,
            fail_on=Severity(options.fail_on) if options.fail_on else publish.fail_on,
        ),
        _domain(options.domain or publish.domain, is_needed=not stays_here),
        address,
        site_address(options.verify_at) if options.verify_at else None,
    )


def _manifest_choice(options: DeployOptions, configured: str | None) -> ManifestChoice:
    given = options.manifest, options.manifest_file, options.no_manifest
    if sum(map(bool, given)) > 1:
        raise click.UsageError("use one of --manifest, --manifest-file and --no-manifest")
    if options.no_manifest and options.against:
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
                f"{relative_name(origin.file)} has [publish] and is in the folder that is "
                "deployed; use it with --config, or deploy another folder"
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
