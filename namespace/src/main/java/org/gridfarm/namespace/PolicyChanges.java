package org.gridfarm.namespace;

import org.gridfarm.protocol.error.ErrorKind;
import org.gridfarm.protocol.wire.InodeImage;
import org.gridfarm.protocol.wire.SetPolicy;

import java.util.regex.Pattern;

/** Replica level, groups and striping of a file, or of what will be made in a directory. */
final class PolicyChanges {
    /** One group of hosts and how many copies belong there. */
    private static final Pattern GROUPS =
            Pattern.compile(
                    "([A-Za-z0-9._-]{1,64}:[1-9][0-9]?)(,[A-Za-z0-9._-]{1,64}:[1-9][0-9]?)*");

    private PolicyChanges() {}

    static Decision.Accepted set(Command c, SetPolicy wish) {
        Inode inode = c.inode(wish.getInode());
        if (!inode.isRegular() && !inode.isDirectory()) {
            throw c.refusal(
                    ErrorKind.INVALID, inode.number, "only files and directories have replicas");
        }
        if (!Access.owns(inode, c.who)) {
            throw c.refusal(ErrorKind.NOT_PERMITTED, inode.number);
        }
        InodeImage.Builder image = c.changed(inode);
        if (wish.getInherit()) {
            inherit(c, inode, image);
        }
        if (wish.hasReplicas()) {
            if (wish.getReplicas() < 1 || wish.getReplicas() > Limits.REPLICAS_MAX) {
                throw c.refusal(
                        ErrorKind.INVALID,
                        inode.number,
                        "1 to " + Limits.REPLICAS_MAX + " replicas");
            }
            image.setReplicas(wish.getReplicas());
        }
        if (wish.hasGroups()) {
            setGroups(c, inode, image, wish);
        }
        setStripes(c, inode, image, wish);
        return c.accept(inode.number, 0);
    }

    /** Files with content keep their striping: it is where the bytes are. */
    private static void inherit(Command c, Inode inode, InodeImage.Builder image) {
        Inode parent = inode.parent == inode.number ? null : c.state.find(inode.parent);
        Policy policy = parent == null ? Policy.NONE : parent.policy();
        image.setReplicas(policy.replicas()).setGroups(policy.groups());
        if (inode.isDirectory()) {
            image.setStripeCount(policy.stripeCount()).setStripeUnit(policy.stripeUnit());
        }
    }

    private static void setGroups(
            Command c, Inode inode, InodeImage.Builder image, SetPolicy wish) {
        String groups = wish.getGroups();
        if (!groups.isEmpty() && !GROUPS.matcher(groups).matches()) {
            throw c.refusal(
                    ErrorKind.INVALID, inode.number, "groups are written as siteA:2,siteB:1");
        }
        int copies = copies(groups);
        if (copies > Limits.REPLICAS_MAX) {
            throw c.refusal(
                    ErrorKind.INVALID, inode.number, "1 to " + Limits.REPLICAS_MAX + " replicas");
        }
        image.setGroups(groups);
        // The level is at least what the groups ask for together, and without own words exactly
        // that.
        if (!groups.isEmpty() && !(wish.hasReplicas() && wish.getReplicas() >= copies)) {
            image.setReplicas(copies);
        }
    }

    private static int copies(String groups) {
        int sum = 0;
        for (String part : groups.isEmpty() ? new String[0] : groups.split(",", -1)) {
            sum += Integer.parseInt(part.substring(part.indexOf(':') + 1));
        }
        return sum;
    }

    private static void setStripes(
            Command c, Inode inode, InodeImage.Builder image, SetPolicy wish) {
        if (!wish.hasStripeCount() && !wish.hasStripeUnit()) {
            return;
        }
        if (inode.isRegular() && (inode.size > 0 || c.context.isOpen(inode.number))) {
            throw c.refusal(
                    ErrorKind.INVALID, inode.number, "a file with content keeps its striping");
        }
        if (wish.hasStripeCount()) {
            if (wish.getStripeCount() < 1 || wish.getStripeCount() > Limits.STRIPES_MAX) {
                throw c.refusal(
                        ErrorKind.INVALID, inode.number, "1 to " + Limits.STRIPES_MAX + " stripes");
            }
            image.setStripeCount(wish.getStripeCount());
        }
        if (wish.hasStripeUnit()) {
            long unit = wish.getStripeUnit();
            if (unit <= 0 || unit % Limits.STRIPE_UNIT_MULTIPLE != 0) {
                throw c.refusal(
                        ErrorKind.INVALID, inode.number, "a stripe unit is a multiple of 64 KiB");
            }
            image.setStripeUnit(unit);
        } else if (image.getStripeCount() > 1 && image.getStripeUnit() == 0) {
            image.setStripeUnit(Limits.STRIPE_UNIT_DEFAULT);
        }
    }
}
