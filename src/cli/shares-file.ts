// The file that `eval --fit` writes: src/diagnose/shares.ts.
import type { Calibration } from "./calibration.ts";

export function sharesFile({ kinds }: Calibration): string {
  const rows = kinds.map(({ evidence, share }) => {
    const name = /^[a-z]+$/.test(evidence) ? evidence : `"${evidence}"`;
    return `  ${name}: ${share},\n`;
  });
  return `// Of each kind of evidence the share of right verdicts among labelled cases. Made by \`npm run fit\`; docs/verdict.md says how.
import type { Evidence } from "./evidence.ts";

export const SHARES: Readonly<Record<Evidence, number>> = {
${rows.join("")}};
`;
}
