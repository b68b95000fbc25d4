/// Nothing to call: a program with this target has the functions of <cairo/cairo.h> that Rendering calls, and loads libcairo when the
/// first of them is called. libcairo brings fifteen other libraries, which would double the time that the command needs to start.
/// Without libcairo every function does nothing, and those that make something return NULL, which Cairo's own never do.
