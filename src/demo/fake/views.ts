// Modals and home tabs: opened with a trigger that lives three seconds, stacked three deep, checked like Slack does.
import { type Args, type Method, no, ok, refusal, text } from "./method.ts";
import { refuseView } from "./payload.ts";
import type { Json, OpenView, World } from "./world.ts";

export interface Triggers {
  /** A fresh one, for whoever just clicked, typed a command or used a shortcut. */
  give(user: string): string;
  methods: Record<string, Method>;
}

const LIVES_MS = 3000;
const STACK = 3;

/** `lives` is how many milliseconds a trigger is good for. */
export function createTriggers(world: World, lives = LIVES_MS): Triggers {
  const given = new Map<string, { user: string; at: number; used: boolean }>();

  /** Whose trigger it is, or Slack's word for why it is worth nothing. */
  function exchange(args: Args): { user: string } | string {
    const trigger = given.get(text(args.trigger_id));
    if (!trigger) return "invalid_trigger_id";
    if (Date.now() - trigger.at > lives) return "expired_trigger_id";
    if (trigger.used) return "exchanged_trigger_id";
    trigger.used = true;
    return trigger;
  }

  function add(view: Json, user: string, root: OpenView | null): OpenView {
    const id = world.nextId("V");
    const previous = world.views.findLast((one) => one.user === user && one.type === "modal");
    const opened = {
      callback_id: "",
      private_metadata: "",
      external_id: "",
      ...view,
      id,
      user,
      hash: world.nextId("h"),
      root_view_id: root?.root_view_id ?? id,
      previous_view_id: root ? (previous?.id ?? null) : null,
    } as unknown as OpenView;
    opened.blocks = opened.blocks.map((block) => ({ ...block, block_id: block.block_id ?? world.nextId("b") }));
    world.views.push(opened);
    return opened;
  }

  function isTaken(view: unknown, but?: OpenView): boolean {
    const { external_id } = view as { external_id?: string };
    return Boolean(external_id) && world.views.some((one) => one !== but && one.external_id === external_id);
  }

  return {
    give(user) {
      const id = `${Date.now()}.${given.size + 1}.${world.nextId("x").toLowerCase()}`;
      given.set(id, { user, at: Date.now(), used: false });
      return id;
    },
    methods: {
      "views.open": (args) => {
        const refused = refusal(refuseView(args.view));
        if (refused) return refused;
        if (isTaken(args.view)) return no("duplicate_external_id");
        const who = exchange(args);
        if (typeof who === "string") return no(who);
        return ok({ view: shown(add(args.view as Json, who.user, null), world) });
      },
      "views.push": (args) => {
        const refused = refusal(refuseView(args.view));
        if (refused) return refused;
        if (isTaken(args.view)) return no("duplicate_external_id");
        const who = exchange(args);
        if (typeof who === "string") return no(who);
        const stack = world.views.filter((one) => one.user === who.user && one.type === "modal");
        if (stack.length === 0) return no("not_found");
        if (stack.length >= STACK) return no("push_limit_reached");
        return ok({ view: shown(add(args.view as Json, who.user, stack[0] ?? null), world) });
      },
      "views.update": (args) => {
        const refused = refusal(refuseView(args.view));
        if (refused) return refused;
        const there = world.views.find(
          (one) => one.id === args.view_id || (text(args.external_id) !== "" && one.external_id === args.external_id),
        );
        if (!there) return no("not_found");
        if (isTaken(args.view, there)) return no("duplicate_external_id");
        if (text(args.hash) !== "" && args.hash !== there.hash) return no("hash_conflict");
        replaceView(there, args.view as Json, world);
        return ok({ view: shown(there, world) });
      },
      "views.publish": (args) => {
        const refused = refusal(refuseView(args.view));
        if (refused) return refused;
        const user = text(args.user_id);
        if (!world.people.has(user)) return no("user_not_found");
        const at = world.views.findIndex((one) => one.user === user && one.type === "home");
        if (at >= 0) world.views.splice(at, 1);
        return ok({ view: shown(add(args.view as Json, user, null), world) });
      },
    },
  };
}

export function replaceView(there: OpenView, view: Json, world: World): void {
  const blocks = (view.blocks as Json[]).map((block) => ({ ...block, block_id: block.block_id ?? world.nextId("b") }));
  Object.assign(there, { callback_id: "", private_metadata: "" }, view, { blocks, hash: world.nextId("h") });
}

/** A view as Slack hands it to apps. */
export function shown({ user: _user, ...view }: OpenView, { team, bot }: World, values: Json = {}): Json {
  return { ...view, team_id: team, app_id: bot.app, bot_id: bot.id, app_installed_team_id: team, state: { values } };
}
