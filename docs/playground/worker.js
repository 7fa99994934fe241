// Python in a worker: loads the runtime and the wheels that runtime.json names, then runs jobs.

const bytesOf = async ({ url, integrity }) => {
  const response = await fetch(url, { integrity, credentials: "omit" })
  if (!response.ok) throw new Error(`${url} answers with ${response.status}`)
  return new Uint8Array(await response.arrayBuffer())
}

async function start() {
  const runtime = await (await fetch("runtime.json")).json()
  let loaded = 0
  const fetched = await Promise.all(
    [...runtime.core, ...runtime.wheels].map(async file => {
      const bytes = await bytesOf(file)
      postMessage({ progress: (loaded += bytes.length) })
      return bytes
    })
  )
  const core = Object.fromEntries(runtime.core.map((file, index) => [file.name, fetched[index]]))
  const script = name => URL.createObjectURL(new Blob([core[name]], { type: "text/javascript" }))
  // Everything below comes out of the bytes whose integrity was checked.
  const { loadPyodide } = await import(script("pyodide.mjs"))
  const network = self.fetch
  self.fetch = async (address, ...rest) => {
    const bytes = core[String(address.url ?? address).split("/").pop()]
    const type = String(address.url ?? address).endsWith(".wasm") ? "application/wasm" : "text/plain"
    return bytes ? new Response(bytes, { headers: { "content-type": type } }) : network(address, ...rest)
  }
  self.createPyodideModule = (await import(script("pyodide.asm.mjs"))).default
  const python = await loadPyodide({ indexURL: runtime.base, checkAPIVersion: false })
  self.fetch = network
  const extractDir = python.runPython("import sysconfig; sysconfig.get_path('purelib')")
  for (const wheel of fetched.slice(runtime.core.length)) python.unpackArchive(wheel, "whl", { extractDir })
  python.runPython("import importlib; importlib.invalidate_caches()")
  await python.runPythonAsync(await (await fetch("session.py")).text())
  return python.globals.get("run")
}

const run = start()
run.then(
  () => postMessage({ ready: true }),
  error => postMessage({ failed: String(error.message ?? error) })
)

onmessage = async ({ data: { id, job } }) => {
  try {
    const python = await run
    postMessage({ id, result: JSON.parse(python(JSON.stringify(job))) })
  } catch (error) {
    postMessage({ id, result: { code: 70, out: "", err: String(error), files: {} } })
  }
}
