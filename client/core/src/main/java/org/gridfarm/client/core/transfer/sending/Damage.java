package org.gridfarm.client.core.transfer.sending;

import org.gridfarm.client.core.transfer.sending.ChainAction.Remedy;

import java.util.LinkedHashSet;
import java.util.Set;

/**
 * What there is to be mended.
 *
 * @param reason of the last failure
 */
record Damage(Set<String> failed, Remedy remedy, String reason) {
    Damage and(Damage later) {
        Set<String> all = new LinkedHashSet<>(failed);
        all.addAll(later.failed);
        boolean moves = remedy == Remedy.MOVE || later.remedy == Remedy.MOVE;
        return new Damage(all, moves ? Remedy.MOVE : Remedy.GO_ON_WITHOUT, later.reason);
    }
}
