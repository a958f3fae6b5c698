import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { guidesFolder } from '../../src/files.js'
import { blocksOf } from '../programs.js'
import { dotnetEnvironment, runnable, runtimes } from './runtimes.js'

/** One call of a sample's function. */
export interface Signed {
  /** Name of the function's variant, a word. */
  variant: string
  secret: string
  method: string
  path: string
  timestamp: string
  body: Buffer
}

/** A sample of the guide to signing in one language, and how a test calls its function. */
export interface Language {
  /** Language name of the guide's code block. */
  name: string
  file: string
  /** The function that signs, whole. */
  signer: RegExp
  /** Name of that function. */
  signerName: string
  /** The lines of the sample that the function needs. */
  prologue: RegExp
  /**
   * A program that reads calls from a file, one per line with fields in base64, and prints one signature per line.
   * @param functions the variants' texts
   * @param names the variants' names
   */
  program: (prologue: string, functions: string[], names: string[]) => string
}

const list = (names: string[], item: (name: string) => string) => names.map(item).join('\n')

export const languages: Language[] = [
  {
    name: 'js',
    file: 'signer.mjs',
    signer: /^function signatureOf[\s\S]*?^}/m,
    signerName: 'signatureOf',
    prologue: /^import .*$/gm,
    program: (prologue, functions, names) => `${prologue}
import { readFileSync } from 'node:fs'
${functions.join('\n')}
const variants = { ${names.join(', ')} }
for (const line of readFileSync(process.argv[2], 'utf8').trim().split('\\n')) {
  const [variant, ...fields] = line.split(' ').map((field) => Buffer.from(field.slice(1), 'base64'))
  const body = fields.pop()
  console.log(variants[variant](...fields.map(String), body))
}`,
  },
  {
    name: 'python',
    file: 'signer.py',
    signer: /^def signature_of[\s\S]*?(?=^\S)/m,
    signerName: 'signature_of',
    prologue: /^import .*$/gm,
    program: (prologue, functions, names) => `${prologue}
import base64, json, sys
${functions.join('\n')}
for line in open(sys.argv[1]):
    variant, *fields, body = [base64.b64decode(field[1:]) for field in line.split()]
    print({${names.map((name) => `"${name}": ${name}`).join(', ')}}[variant.decode()](*[field.decode() for field in fields], body))`,
  },
  {
    name: 'php',
    file: 'signer.php',
    signer: /^function signatureOf[\s\S]*?^}/m,
    signerName: 'signatureOf',
    prologue: /^<\?php/gm,
    program: (prologue, functions) => `${prologue}
${functions.join('\n')}
foreach (file($argv[1], FILE_IGNORE_NEW_LINES) as $line) {
    $fields = array_map(fn($field) => base64_decode(substr($field, 1)), explode(' ', $line));
    $variant = array_shift($fields);
    echo $variant(...$fields), "\\n";
}`,
  },
  {
    name: 'csharp',
    file: 'Signer.cs',
    signer: /^ {4}static string SignatureOf[\s\S]*?^ {4}}/m,
    signerName: 'SignatureOf',
    prologue: /^(using .*;| {4}static string Hex.*)$/gm,
    program: (prologue, functions, names) => `using System.IO;
using System.Linq;
${prologue.replace(/^ {4}static string Hex/m, 'class Signer\n{\n$&')}
${functions.join('\n')}
    static void Main(string[] args)
    {
        foreach (var line in File.ReadLines(args[0]))
        {
            var fields = line.Split(' ').Select(field => Convert.FromBase64String(field.Substring(1))).ToArray();
            var texts = fields.Take(5).Select(Encoding.UTF8.GetString).ToArray();
            switch (texts[0])
            {
${list(names, (name) => `                case "${name}": Console.WriteLine(${name}(texts[1], texts[2], texts[3], texts[4], fields[5])); break;`)}
            }
        }
    }
}`,
  },
  {
    name: 'java',
    file: 'Signer.java',
    signer: /^ {4}static String signatureOf[\s\S]*?^ {4}}/m,
    signerName: 'signatureOf',
    prologue: /^import .*$/gm,
    program: (prologue, functions, names) => `${prologue}
import java.nio.file.*;
import java.util.*;

public class Signer {
${functions.join('\n')}
    static String text(byte[] bytes) { return new String(bytes, UTF_8); }

    public static void main(String[] args) throws Exception {
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            List<byte[]> fields = new ArrayList<>();
            for (String field : line.split(" ")) fields.add(Base64.getDecoder().decode(field.substring(1)));
            String secret = text(fields.get(1)), method = text(fields.get(2)), path = text(fields.get(3)), timestamp = text(fields.get(4));
            byte[] body = fields.get(5);
            System.out.println(switch (text(fields.get(0))) {
${list(names, (name) => `                case "${name}" -> ${name}(secret, method, path, timestamp, body);`)}
                default -> throw new Exception();
            });
        }
    }
}`,
  },
]

/** The samples that run on this machine. */
export const runnableSamples = languages.filter(({ name }) => runnable.includes(name))

const guide = readFileSync(join(guidesFolder, 'signing.md'), 'utf8')

/** The function that signs as the guide shows it. */
export function signerOf({ name, signer }: Language): string {
  const found = signer.exec(blocksOf(guide, name)[0]!)?.[0]
  if (found) return found
  throw new Error(`the guide's sample in ${name} has no function that signs`)
}

/**
 * Signs with variants of a sample's function.
 * @param variants texts of the function by name of the variant
 * @returns a signature for each call
 */
export async function signatures(
  language: Language,
  variants: Record<string, string>,
  calls: readonly Signed[],
): Promise<string[]> {
  const { name, file, prologue, signerName, program } = language
  const { program: runtime, args } = runtimes[name]!
  const names = Object.keys(variants)
  const functions = names.map((variant) => variants[variant]!.replace(signerName, variant))
  const sample = [...blocksOf(guide, name)[0]!.matchAll(prologue)].map(([line]) => line).join('\n')
  const folder = mkdtempSync(join(tmpdir(), 'signing-sample-'))
  try {
    const [source, input] = [join(folder, file), join(folder, 'calls')]
    writeFileSync(source, `${program(sample, functions, names)}\n`)
    writeFileSync(input, `${calls.map(lineOf).join('\n')}\n`)
    const env = { ...dotnetEnvironment(folder), PATH: process.env.PATH ?? '', HOME: folder }
    const { stdout } = await promisify(execFile)(runtime, [...args(source), input], { env })
    return stdout.trim().split('\n')
  } finally {
    rmSync(folder, { recursive: true })
  }
}

// A letter in front keeps empty fields in place.
const lineOf = ({ variant, secret, method, path, timestamp, body }: Signed): string =>
  [variant, secret, method, path, timestamp, body]
    .map((field) => `x${Buffer.from(field as string).toString('base64')}`)
    .join(' ')
