// kubectl describe pod and kubectl get events: how a pod's container ended, where, and what the cluster warned of.
//       Last State:     Terminated
//         Reason:       OOMKilled
//         Exit Code:    137
import type { OutputReader, Said, ToolReading } from "./output-reader.ts";
import type { OutputLine, OutputText } from "./output-text.ts";
import { createFacts, digits, gib, said, some, someZh } from "./said.ts";

const COMMAND = "kubectl describe pod POD";
const REFUSED: readonly [RegExp, "no-device" | "permission" | "no-service"][] = [
  [/^Error from server \(NotFound\)/, "no-device"],
  [/^No resources found/, "no-device"],
  [/^Error from server \(Forbidden\)/, "permission"],
  [/^error: You must be logged in to the server|^Unauthorized$/, "permission"],
  [/^(?:The connection to the server .{1,100} was refused|Unable to connect to the server)/, "no-service"],
];
const PAIR = /^(\s*)([A-Z][A-Za-z /]{1,30}):\s+(\S.{0,300})$/;
const EVENTS_HEADER =
  /^\s*(?:(?:NAMESPACE\s+)?LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+.*MESSAGE|Type\s+Reason\s+Age\s+From\s+Message)$/;
/** "11m  Warning  BackOff  pod/worker-3  Back-off…" and "Warning  BackOff  11m (x2 over 3h50m)  kubelet  Back-off…". */
const EVENT =
  /^(?:\S{1,60}\s+)?(?:<?\w+>?(?:\s+\(x\d+ over \w+\))?\s+)?(Normal|Warning)\s+([A-Z]\w{2,40})\s+(\S.{0,400})$/;

export const kubePod: OutputReader = {
  id: "kube-pod",
  command: COMMAND,
  owns: (line) => /^(?:\S*\/)?kubectl\b/.test(line),
  knows: (text) => {
    const refused = text.lines.filter(({ text: row }) => REFUSED.some(([pattern]) => pattern.test(row)));
    const described = isDescribed(text) ? text.lines.filter(({ text: row }) => PAIR.test(row)) : [];
    return [...new Set([...refused, ...described, ...eventsOf(text).lines].map(({ line }) => line))];
  },
  read,
};

function isDescribed({ lines }: OutputText): boolean {
  const state = lines.some(({ text }) => /^\s+(?:Last )?State:\s+(?:Running|Waiting|Terminated)/.test(text));
  return state && lines.some(({ text }) => /^\s*(?:Init )?Containers:$/.test(text) || /^\s+Container ID:/.test(text));
}

function read(text: OutputText): ToolReading {
  for (const { line, text: row } of text.lines) {
    const refusal = REFUSED.find(([pattern]) => pattern.test(row))?.[1];
    if (refusal) return { status: "refused", refusal, finding: sayRefused(refusal), line };
  }
  const described = isDescribed(text);
  const pod = described ? podOf(text) : null;
  const events = eventsOf(text);
  const facts = createFacts();
  const put = (fact: string, found: { value: string | number; line: number } | null | undefined): void =>
    facts.add(fact, found?.value, found ? [found.line] : []);
  put("pod", pod?.name ?? events.pod);
  put("phase", pod?.phase);
  put("host", pod?.node);
  const warned = events.events.filter(({ type }) => type === "Warning");
  const reasons = [...new Set(warned.map(({ reason }) => reason))];
  const [firstWarning] = warned;
  put("reason", pod?.reason ?? (firstWarning ? { value: firstWarning.reason, line: firstWarning.line } : null));
  put("exitcode", pod?.exit);
  put("signal", pod?.signal);
  put("restarts", pod?.restarts);
  put("memory_limit_gib", pod?.limit);
  if (events.lines.length > 0)
    facts.add(
      "kube_events",
      reasons,
      (warned.length > 0 ? warned : events.lines).map(({ line }) => line),
    );
  const finding = pod ? sayPod(pod, reasons) : sayEvents(events.events.length, warned, events.pod?.value ?? null);
  if (!described || (pod?.name && pod.state)) return { status: "read", finding, facts: facts.facts };
  const problems = [
    {
      line: text.lines.find(({ text: row }) => row.trim() !== "")?.line ?? 1,
      say: "the top of the description is missing; paste it from Name: on",
    },
  ];
  return { status: "partial", finding, facts: facts.facts, problems };
}

interface Found {
  value: string;
  line: number;
}

interface Pod {
  name: Found | null;
  phase: Found | null;
  node: Found | null;
  state: Found | null;
  reason: Found | null;
  exit: { value: number; line: number } | null;
  signal: { value: number; line: number } | null;
  restarts: { value: number; line: number } | null;
  limit: { value: number; line: number } | null;
}

/** Of several containers, the first that ended badly; its last state where it runs again. */
function podOf({ lines }: OutputText): Pod {
  const pod: Pod = {
    name: null,
    phase: null,
    node: null,
    state: null,
    reason: null,
    exit: null,
    signal: null,
    restarts: null,
    limit: null,
  };
  let section = "";
  let within = "";
  for (const { line, text } of lines) {
    const heading = /^\s*(Limits|Requests|State|Last State|Containers|Init Containers|Conditions|Events)\b:?/.exec(
      text,
    )?.[1];
    if (heading) within = heading;
    if (/^\S/.test(text)) section = text;
    const [, indent = "", key = "", said = ""] = PAIR.exec(text) ?? [];
    const memory = /^\s+memory:\s+(\S{1,30})$/.exec(text)?.[1];
    if (memory && within === "Limits") {
      const size = gib(memory) ?? decimalGib(memory);
      if (size !== null && (pod.limit === null || size > pod.limit.value)) pod.limit = { value: size, line };
    }
    if (key === "") continue;
    const value = said.trim();
    const top = indent === "";
    if (top && key === "Name") pod.name ??= { value, line };
    else if (top && key === "Node") pod.node ??= { value: value.split("/")[0] ?? value, line };
    else if (top && key === "Status") pod.phase ??= { value, line };
    else if (top && key === "Reason") pod.reason ??= { value, line };
    else if (key === "State" || key === "Last State") pod.state ??= { value, line };
    else if (/State$/.test(within) && /Containers:/.test(section)) addEnd(pod, { key, value, line });
    if (key === "Restart Count" && Number(value) >= (pod.restarts?.value ?? 0))
      pod.restarts = { value: Number(value), line };
  }
  return pod;
}

function addEnd(pod: Pod, { key, value, line }: { key: string; value: string; line: number }): void {
  if (key === "Reason" && !/^(?:Completed|ContainerCreating|PodInitializing|CrashLoopBackOff)$/.test(value))
    pod.reason ??= { value, line };
  if (key === "Exit Code" && Number(value) !== 0) pod.exit ??= { value: Number(value), line };
  if (key === "Signal") pod.signal ??= { value: Number(value), line };
}

/** Kubernetes' decimal sizes: "512G" is 512e9 bytes. */
function decimalGib(printed: string): number | null {
  const found = /^(\d{1,15})([kMGTP])?$/.exec(printed);
  return found ? (Number(found[1]) * 1000 ** " kMGTP".indexOf(found[2] ?? " ")) / 1024 ** 3 : null;
}

interface Event {
  type: string;
  reason: string;
  line: number;
}

function eventsOf({ lines }: OutputText): { lines: OutputLine[]; events: Event[]; pod: Found | null } {
  const known: OutputLine[] = [];
  const events: Event[] = [];
  let pod: Found | null = null;
  let open = false;
  for (const at of lines) {
    const row = at.text.trim();
    if (EVENTS_HEADER.test(at.text)) {
      open = true;
      known.push(at);
      continue;
    }
    if (!open || /^-+(?:\s+-+)+$/.test(row)) continue;
    const found = EVENT.exec(row);
    if (!found) {
      if (row !== "") open = false;
      continue;
    }
    known.push(at);
    events.push({ type: found[1] ?? "", reason: found[2] ?? "", line: at.line });
    const object = /^pod\/(\S{1,100})/.exec(found[3] ?? "")?.[1];
    if (object && found[1] === "Warning") pod ??= { value: object, line: at.line };
  }
  return { lines: known, events, pod };
}

function sayPod(pod: Pod, warned: readonly string[]): Said {
  const name = pod.name?.value ?? "?";
  const on = pod.node ? { en: ` on ${pod.node.value}`, zh: `（${pod.node.value}）` } : { en: "", zh: "" };
  const details = [
    ...(pod.exit ? [{ en: `exit ${pod.exit.value}`, zh: `退出码 ${pod.exit.value}` }] : []),
    ...(pod.limit
      ? [{ en: `memory limit ${digits(pod.limit.value)} GiB`, zh: `内存上限 ${digits(pod.limit.value)} GiB` }]
      : []),
    ...(pod.restarts && pod.restarts.value > 0
      ? [{ en: `${pod.restarts.value} restarts`, zh: `重启 ${pod.restarts.value} 次` }]
      : []),
  ];
  const inside =
    details.length > 0
      ? { en: ` (${details.map(({ en }) => en).join(", ")})`, zh: `（${details.map(({ zh }) => zh).join("，")}）` }
      : { en: "", zh: "" };
  if (pod.reason)
    return said(
      `${name}${on.en} ended with ${pod.reason.value}${inside.en}.`,
      `${name}${on.zh}因 ${pod.reason.value} 结束${inside.zh}。`,
    );
  const also =
    warned.length > 0
      ? { en: `; warnings: ${some(warned)}`, zh: `；告警：${someZh(warned)}` }
      : { en: ", no warning events", zh: "，没有告警事件" };
  return said(
    `${name}${on.en} is ${pod.phase?.value ?? pod.state?.value ?? "listed"}, no container ended badly${inside.en}${also.en}.`,
    `${name}${on.zh}状态为 ${pod.phase?.value ?? pod.state?.value ?? "已列出"}，没有容器异常结束${inside.zh}${also.zh}。`,
  );
}

function sayEvents(all: number, warned: readonly Event[], pod: string | null): Said {
  if (warned.length === 0) return said(`No warning among ${all} events.`, `${all} 条事件中没有告警。`);
  const reasons = [...new Set(warned.map(({ reason }) => reason))];
  const about = pod === null ? { en: "", zh: "" } : { en: `, first for ${pod}`, zh: `，最早涉及 ${pod}` };
  return said(
    `${warned.length} of ${all} events are warnings: ${some(reasons)}${about.en}.`,
    `${all} 条事件中有 ${warned.length} 条告警：${someZh(reasons)}${about.zh}。`,
  );
}

function sayRefused(refusal: "no-device" | "permission" | "no-service"): Said {
  if (refusal === "no-device")
    return said(
      `The cluster knows no such pod in this namespace, so nothing was read. Run: ${COMMAND} -n NAMESPACE`,
      `该命名空间里没有这个 pod，没有读到任何内容。请运行：${COMMAND} -n NAMESPACE`,
    );
  if (refusal === "permission")
    return said(
      `The cluster refused to tell, so nothing was read. With the rights for it: ${COMMAND}`,
      `集群拒绝了请求，没有读到任何内容。请用有权限的账号运行：${COMMAND}`,
    );
  return said(
    `The cluster did not answer, so nothing was read. Once it does: ${COMMAND}`,
    `集群没有响应，没有读到任何内容。恢复后请运行：${COMMAND}`,
  );
}
