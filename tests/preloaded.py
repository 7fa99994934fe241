"""What each run of the command would work out once, done before its process is forked."""

import gc

import manifestkit

manifestkit.lint('{"permissions": ["host.haptic"]}', "manifest.json")
gc.freeze()  # a collection would copy all of it
