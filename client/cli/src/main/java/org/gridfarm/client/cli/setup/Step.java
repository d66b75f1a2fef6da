package org.gridfarm.client.cli.setup;

import java.util.function.BooleanSupplier;

/**
 * One thing that setup does.
 *
 * @param what as it is shown: what is there afterwards
 * @param done whether it is there already; asked immediately before
 */
record Step(String what, BooleanSupplier done, Runnable work) {}
