/// Loads libcairo on demand: a program with this target has the functions of <cairo/cairo.h> that Rendering
/// calls, and loads libcairo when the first of them is called. libcairo brings fifteen other libraries, which
/// would double the start-up time of the command. Without libcairo every function does nothing, and those
/// that create something return NULL, which Cairo's own never do.
