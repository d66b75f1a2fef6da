/**
 * What administrators ask and order: state of the farm, clients, check of the namespace, quotas, a
 * new ticket secret. Event thread.
 */
@NullMarked
package org.gridfarm.metaserver.server.admin;

import org.jspecify.annotations.NullMarked;
