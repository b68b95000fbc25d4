/* Declares nothing: see module.modulemap. */
