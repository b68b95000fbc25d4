import ArgumentParser

/// Where a guided check wants the face, on the command line.
struct CheckPlaceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The view that shows the preview: WIDTHxHEIGHT[,contain|cover|stretch][,90|180|270][,mirrored]; the image itself without.",
      valueName: "shape"))
  var view: ViewArgument?

  @Option(help: "The circle in that view to hold the face into, X,Y,RADIUS; in the middle without.")
  var mask: CircleArgument?
}
