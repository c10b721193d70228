/** A frame holds a mebibyte; pictures take a third more on their way. */
const MOST_BYTES = 600_000;
const MOST_PIXELS = 1600;

/** Reads pictures as data URLs; large ones are made smaller first. */
export async function pictures(files: Iterable<File>): Promise<string[]> {
  const images = [...files].filter((f) => f.type.startsWith("image/"));
  return Promise.all(images.map(async (f) => (f.size <= MOST_BYTES ? dataURL(f) : smaller(f))));
}

function dataURL(file: Blob): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(new Error("the picture cannot be read"));
    reader.readAsDataURL(file);
  });
}

async function smaller(file: File): Promise<string> {
  const image = await createImageBitmap(file);
  const scale = Math.min(1, MOST_PIXELS / Math.max(image.width, image.height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(image.width * scale);
  canvas.height = Math.round(image.height * scale);
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  image.close();
  return canvas.toDataURL("image/jpeg", 0.85);
}
