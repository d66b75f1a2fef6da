/**
 * The HTTP gateway ({@code gf gateway}): files of the farm for programs that have neither a mount
 * nor the library. {@link Gateway} listens and wires, {@link Door} says who asks, {@link Farms} has
 * a session of the farm for each of them, which {@link Entrance} opens, {@link Failure} says what a
 * failure is in HTTP. What is answered is in {@code webhdfs} and {@code files}; {@code http} knows
 * no farm. Several gateways may run at once: none keeps anything that another would miss.
 *
 * <p>{@link S3Gateway} is one for programs that speak S3 ({@code gf s3}): {@link S3Rooms} lets in
 * who has a key, {@code s3} answers.
 */
@NullMarked
package org.gridfarm.client.cli.gateway;

import org.jspecify.annotations.NullMarked;
