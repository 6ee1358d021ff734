// What a database must do for deliveries: what comes in is written down, then acknowledged, then worked on. Filled by store/.

/** Known by its event id. */
export interface Delivery {
  team: string;
  id: string;
}

export interface DeliveryStore {
  /** false where this delivery is known already. */
  receive(delivery: Delivery, body: string, at: string): Promise<boolean>;
  /** Takes a delivery up: its body and which attempt this is; undefined where it is done, failed or unknown. */
  take(delivery: Delivery, at: string): Promise<{ body: string; attempt: number; receivedAt: string } | undefined>;
  /** Worked on: the body goes, the id stays, so that a late re-delivery is still known. */
  done(delivery: Delivery, at: string): Promise<void>;
  /** Given up, under the reference the person was told. */
  failed(delivery: Delivery, reference: string, at: string): Promise<void>;
  /** What an earlier run left behind, oldest first. */
  leftovers(): Promise<(Delivery & { body: string })[]>;
}
