package com.faceengine;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks immutable types, whose methods return a changed copy. A call does nothing if its result is dropped. Error Prone
 * and IDEs find such calls by the name of this annotation.
 */
@Documented
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.CLASS)
public @interface CheckReturnValue {}
