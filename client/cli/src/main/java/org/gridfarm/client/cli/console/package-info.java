/**
 * The web console ({@code gf console}): pages made on the server from what {@code gf status},
 * {@code gf health}, {@code gf jobs} and {@code gf where} ask, kept up to date by server-sent
 * events, with one small script and no build of its own. It acts with the credential of whoever
 * runs it and lets in whom {@link Admission} says. Changes nothing but by {@link Actions}.
 */
@NullMarked
package org.gridfarm.client.cli.console;

import org.jspecify.annotations.NullMarked;
