/**
 * Objects of S3 over files: a bucket is a directory, a key the path of a file in it. {@link
 * org.gridfarm.client.cli.gateway.s3.S3} leads each request to where it is answered; {@code auth}
 * says who sent it. Keeps nothing: what is remembered is in the farm, hidden names of uploads under
 * way and extended attributes.
 */
@NullMarked
package org.gridfarm.client.cli.gateway.s3;

import org.jspecify.annotations.NullMarked;
