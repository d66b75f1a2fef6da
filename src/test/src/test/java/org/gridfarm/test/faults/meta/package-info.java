/**
 * The namespace of a real farm under faults. Clients of the library and mounts work on a few names
 * at the same time while processes are killed, stopped and cut off; what each saw is recorded and
 * checked against the sequential model. Every process is one of its own and is disturbed from
 * outside only.
 */
package org.gridfarm.test.faults.meta;
