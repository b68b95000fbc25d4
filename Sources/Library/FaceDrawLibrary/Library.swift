// Importing the ABI puts it into the library; the rest is link settings (Package.swift) and the export map.
import FaceDrawABI
