// The demo without a person: one log from the first paste to a fix that holds.
import { dialog, pressables, type Screen } from "./screen.ts";
import type { Thread } from "./thread.ts";

/** What nvidia-smi prints on the card that ran out: the training, and somebody else. */
const SECOND_PROCESS = `wei@node-014:~$ nvidia-smi --query-compute-apps=gpu_uuid,pid,process_name,used_memory --format=csv -i 5
gpu_uuid, pid, process_name, used_gpu_memory [MiB]
GPU-5f3a1c02-8d41-7c1e-9b6f-2a4d6e8f0a1b, 41280, python3, 73420 MiB
GPU-5f3a1c02-8d41-7c1e-9b6f-2a4d6e8f0a1b, 90417, python3, 6330 MiB`;

type Act = { paste: string } | { answer: string };

const ACTS: readonly Act[] = [
  { answer: "nothing-grew" },
  { paste: SECOND_PROCESS },
  { answer: "gone" },
  { answer: "past-twice-below" },
];

export interface ByItself {
  thread: Thread;
  log: string;
  screen: Screen;
  out(text: string): void;
}

export async function playByItself({ thread, log, screen, out }: ByItself): Promise<void> {
  await thread.say(log);
  for (const act of ACTS) {
    if ("paste" in act) await thread.say(act.paste);
    else {
      const { buttons } = pressables(thread.current(), screen.world);
      const button = buttons.find(({ element }) => element.action_id === `answer:${act.answer}`);
      if (!button) throw new Error(`the case has no answer "${act.answer}" where the demo expects it`);
      out(dialog(screen, button.element));
      await thread.press(button);
    }
  }
}
