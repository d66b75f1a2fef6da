/**
 * Configuration files: TOML, read once at start, typed, and strict.
 *
 * <p>A key that nobody asks for is refused with its line and the nearest known key, since a
 * misspelt setting that is silently ignored is found only when it hurts. Secrets are never in the
 * file itself: a key {@code password_file} names the file that holds one. Every failure is
 * BAD_CONFIGURATION and names file and line.
 */
@NullMarked
package org.gridfarm.protocol.config;

import org.jspecify.annotations.NullMarked;
