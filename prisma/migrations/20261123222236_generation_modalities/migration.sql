-- AlterTable
ALTER TABLE "generation" ADD COLUMN     "input_modalities" TEXT[] DEFAULT ARRAY[]::TEXT[],
ADD COLUMN     "output_modalities" TEXT[] DEFAULT ARRAY[]::TEXT[];
