/**
 * A whole farm of separate processes, driven from outside as a user and an administrator would: by
 * the commands and through the mount. Faults are signals sent to those processes.
 */
package org.gridfarm.test.cluster;
