// Seen by every file of this target, most of which use it.
@_exported import CallerABI
