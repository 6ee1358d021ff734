// natural ships no types for its deep paths; only what words.ts uses.
declare module "natural/lib/natural/classifiers/bayes_classifier.js" {
  export default class BayesClassifier {
    constructor(stemmer: undefined, smoothing: number);
    features: Record<string, number>;
    textToFeatures(tokens: string[]): (0 | 1)[];
    addDocument(tokens: string[], label: string): void;
    train(): void;
    getClassifications(tokens: string[]): { label: string; value: number }[];
  }
}
