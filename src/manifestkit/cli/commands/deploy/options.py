"""The options of `manifest deploy`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from manifestkit.cli.accounts import SITE_TOKEN_VARIABLE, Access, given_secret
from manifestkit.cli.options import FILE, option, option_group
from manifestkit.cli.parameters import Choice, FilePath
from manifestkit.cli.service import SECONDS
from manifestkit.model.finding import Severity
from manifestkit.publish.client import Authorization
from manifestkit.publish.packing import MOST_BYTES, MOST_ENTRIES
from manifestkit.publish.wire import NONE, SITE_TOKEN_PARTS, TOKEN_PLACEMENTS


@dataclass(frozen=True)
class DeployOptions:
    """Options of `manifest deploy` besides those of the service."""

    domain: str | None = option("The host name of the site.", metavar="HOST")
    manifest: str | None = option(
        "The manifest's name in the archive.  [default: the one at its root]", metavar="NAME"
    )
    manifest_file: Path | None = option(
        "The site's manifest, if it is not published with it.",
        type=FilePath(path_type=Path, dir_okay=False),
        metavar="FILE",
    )
    no_manifest: bool = option("Deploy a site that has no manifest.", is_flag=True)
    dry_run: bool = option("Check and pack the site, but do not send it.", is_flag=True)
    list_files: bool = option(
        "List what would be packed, and what is left out by which line of which file.",
        "--list",
        is_flag=True,
    )
    include: tuple[str, ...] = option(
        "Publish these files although they are left out otherwise. May be repeated.",
        multiple=True,
        metavar="GLOB",
    )
    portable_names: bool = option(
        "Refuse names that some systems cannot write, instead of a warning.", is_flag=True
    )
    max_entries: int | None = option(
        f"The most files to publish.  [default: {MOST_ENTRIES}]",
        type=click.IntRange(min=1),
        metavar="N",
    )
    max_size: int | None = option(
        f"The most bytes to publish, unpacked.  [default: {MOST_BYTES}]",
        type=click.IntRange(min=1),
        metavar="BYTES",
    )
    output: Path | None = option(
        "Also write the archive that passed the check to this file.",
        type=FilePath(path_type=Path, dir_okay=False),
        metavar="FILE",
    )
    retry_unknown: bool = option(
        "Retry even if an earlier attempt may have arrived; this can create two versions.",
        is_flag=True,
    )
    receipt_path: Path | None = option(
        "Also write the receipt to this file.",
        "--receipt",
        type=FilePath(path_type=Path, dir_okay=False),
        metavar="FILE",
    )
    site_token_file: Path | None = option(
        f"Read the token that identifies the site from this file; or set {SITE_TOKEN_VARIABLE}.",
        **FILE,
    )
    site_token_part: str = option(
        "Name of the form part with that token.",
        type=Choice(SITE_TOKEN_PARTS),
        default=SITE_TOKEN_PARTS[0],
        show_default=True,
    )
    token_placement: str | None = option(
        "Where to send your own token.  [default: query in the form base, part in alt]",
        type=Choice(TOKEN_PLACEMENTS),
    )
    profile: tuple[Path, ...] = option(
        "Also check the manifest against this profile. May be repeated.",
        multiple=True,
        **FILE,
    )
    config: Path | None = option(
        "Use this configuration file.  [default: the nearest one above the current folder]",
        **FILE,
    )
    against: str | None = option(
        "Compare the manifest with that of the last accepted deploy, in a file, or in git at a "
        "revision; refuse changes that `manifest diff` reports at or above --fail-on.",
        metavar="last|FILE|REF",
    )
    fail_on: str | None = option(
        "Refuse a manifest with a finding of at least this severity.  [default: error]",
        type=Choice([each.value for each in Severity]),
    )
    verify_at: str | None = option(
        "Then compare the site at this address with every file that was sent.",
        "--verify",
        metavar="URL",
    )
    verify_timeout: float = option(
        "How long to wait for that.",
        type=SECONDS,
        default=120,
        show_default=True,
        metavar="SECONDS",
    )

    def authorization(self, access: Access, domain: str) -> Authorization:
        """Return what the deploy is allowed by.

        Raises:
            AuthenticationError: there is neither a user token nor a site token.
            ConfigurationError: the credentials cannot be used.
        """
        placement = self.token_placement
        token = access.given if placement == NONE else access.token()
        site_token = given_secret(SITE_TOKEN_VARIABLE, self.site_token_file, "--site-token-file")
        if site_token is None and access.account is not None:
            site_token = access.account.site_tokens.get(domain)
        if token is None and site_token is None and placement != NONE:
            raise access.not_logged_in()
        return Authorization(token, site_token, placement, self.site_token_part)


deploy_options = option_group("options", DeployOptions)
